"""The magics: split the line, find the sub-command, hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class, no_var_expand
from traitlets import Bool, Unicode

from awp_core.errors import AwpError
from awp_magics.cells import define_code, define_workflow
from awp_magics.command import commands, find_command, split_line
from awp_magics.display import shorten_chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.core.interactiveshell import InteractiveShell

    from awp_magics.session import Session


@magics_class
class AwpMagics(Magics):
    """Settings and magics of awp_magics; `%config AwpMagics` lists the settings."""

    provider = Unicode(
        "", help="Provider for every agent, such as 'stub' or 'ollama'; empty: as the workflow says."
    ).tag(config=True)
    runs_dir = Unicode("", help="Where runs are kept; empty: runs/ in the working directory.").tag(config=True)
    debug = Bool(False, help="Show Python tracebacks of errors.").tag(config=True)
    nest = Bool(False, help="Allow asyncio.run() in cells, by nest_asyncio.").tag(config=True)

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session
        self.observe(self._use_nest, "nest")
        if self.nest:
            self._use_nest()

    @no_var_expand
    @line_cell_magic
    def awp(self, line: str, cell: str | None = None) -> Any:
        """Workflows of agents, code and people: define, check, draw, run, answer, export.

        %awp                     what there is, in short
        %awp help [COMMAND]      help; also %awp COMMAND --help
        %awp run NAME k=v ...    run a workflow; name=$var takes a Python value
        %awp reply RUN VALUE     answer the question of a run
        %awp runs --paused       runs that wait for somebody, with their forms

        %%awp [NAME] [--run] [--quiet] [--as VAR] [--chat] [k=v ...]
                                 the cell is a workflow: checked, drawn, kept under its name
        %%awp_code NODE          the cell is the Python of a code node

        Settings: %config AwpMagics
        """
        if cell is not None:
            return self._guarded(lambda: define_workflow(self.session, split_line(line), cell))
        return self._guarded(lambda: self._dispatch(split_line(line)))

    @no_var_expand
    @cell_magic
    def awp_code(self, line: str, cell: str) -> Any:
        """The cell is Python with `def main(...)`: the source of a code node.

        %%awp_code NODE [--workflow NAME] [--test k=v ...]

        It runs in a sandbox, never in this kernel. --test runs it once with the values given.
        """
        return self._guarded(lambda: define_code(self.session, split_line(line), cell))

    def _dispatch(self, words: list[str]) -> Any:
        if not words or words[0] in {"help", "--help", "-h"}:
            print_help(words[1:])
            return None
        command = find_command(words[0])
        rest = words[1:]
        if {"--help", "-h"} & set(rest):
            print_help([command.name])
            return None
        return command.run(self.session, command.parser().read(rest))

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Do something; an error of ours leaves without the chain of causes, so that it can be shown short."""
        failure: AwpError | None = None
        try:
            return work()
        except AwpError as error:
            failure = error
        # Raised outside of the `except`, because IPython prints a native traceback for some chains.
        raise failure if self.debug else shorten_chain(failure)

    def _use_nest(self, *_: object) -> None:
        if not self.nest:
            return
        from awp_magics.nesting import apply_nesting

        apply_nesting()


def print_help(words: list[str]) -> None:
    """Print the overview, or the help of one sub-command."""
    if words:
        print(find_command(words[0]).parser().format_help().rstrip())  # noqa: T201 - help is text
        return
    width = max(len(name) for name in commands())
    lines = [
        "Workflows of agents, code and people.",
        "",
        "%%awp [NAME]        the cell is a workflow (first line of the cell)",
        "%%awp_code NODE     the cell is the Python of a code node",
        "",
        *(f"%awp {name:<{width}}  {command.summary}" for name, command in commands().items()),
        "",
        "Help: %awp COMMAND --help    Settings: %config AwpMagics",
    ]
    print("\n".join(lines))  # noqa: T201
