# Every target first sets up what it needs, once, in .venv. Another place: make VENV=/path. Another Python: make PYTHON=...
# Without make: python3 -m awp_core demo|test|lint|bench|setup. More words for the tool: make test ARGS="-k R11".
PYTHON ?= python3
export VENV

.DEFAULT_GOAL := help
.PHONY: demo test lint bench setup clean help

demo: ## run the quickstart notebook and show the result
test: ## run every test
lint: ## ruff, mypy and the import contracts
bench: ## measure the engine against its floor
setup: ## only install
clean: ## remove .venv and what the tools leave behind

demo test lint bench setup clean:
	@$(PYTHON) -m awp_core.cli.tasks $@ $(ARGS)

help: ## this list
	@sed -n 's/^\([a-z]*\): ## /  make \1\t/p' Makefile
