"""Put a workflow together from several texts: a manifest cell and the code cells that belong to it."""

from __future__ import annotations

from dataclasses import replace

from awp_core.manifest.load import GRAPH_PATH, Workflow, read_document
from awp_core.manifest.short import DerivedDocument
from awp_core.manifest.write import dump_yaml


def with_code(workflow: Workflow, node_id: str, source: str, filename: str, first_line: int) -> Workflow:
    """Return the workflow with `source` as the code of a node, keeping where each text really stands.

    Args:
        workflow: The manifest as read.
        node_id: A node of the graph.
        source: Python with a top-level `def main(...)`.
        filename: What tracebacks and findings call the place, such as `cell clean`.
        first_line: Line of `filename` on which `source` starts, from 1.

    Raises:
        NotFoundError: There is no such node.
    """
    index = workflow.node(node_id).index
    data = dict(workflow.raw)
    section = dict(data[GRAPH_PATH[0]])
    graph = list(section[GRAPH_PATH[1]])
    graph[index] = {**graph[index], "source": source}
    section[GRAPH_PATH[1]] = graph
    data[GRAPH_PATH[0]] = section
    document = DerivedDocument(workflow.document, data)
    places = {**workflow.places, (node_id, "source"): (filename, first_line)}
    composed = read_document(document, workflow.path, is_directory=workflow.is_directory)
    return replace(composed, places=places, full=dump_yaml(data))
