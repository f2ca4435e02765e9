"""pytest --weft-gradients: weft.watch around every test, and its table at the end."""


def pytest_addoption(parser):
    group = parser.getgroup("weft")
    group.addoption("--weft-gradients", action="store_true", help="check the gradients of the Warp kernels that the tests launch")


class Plugin:
    def __init__(self):
        self.report = None

    def watched(self):
        import sys

        if "warp" not in sys.modules:
            return None
        from weft import _watch

        if self.report is None:
            self.report = _watch.Report()
        return _watch.watch(report=self.report)

    def wrap(self):
        """Around one test: generators are what pytest's hooks take."""
        watching = self.watched()
        if watching is None:
            yield
            return
        with watching:
            yield


def pytest_configure(config):
    if not config.getoption("--weft-gradients"):
        return
    import pytest

    class Hooks(Plugin):
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_call(self, item):
            yield from self.wrap()

        def pytest_terminal_summary(self, terminalreporter):
            terminalreporter.section("weft: gradients of Warp kernels")
            terminalreporter.write_line(str(self.report) if self.report is not None else "no kernel was launched")

    config.pluginmanager.register(Hooks(), "weft-gradients")
