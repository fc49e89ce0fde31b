"""The walk on a screen: the text of a node above, what is inside it below, a key for each thing to do."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.filters import is_searching
from prompt_toolkit.formatted_text import AnyFormattedText, StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.bindings.scroll import scroll_page_down, scroll_page_up
from prompt_toolkit.layout import Dimension, HSplit, Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar, TextArea

from unjit.browsing.walk import Walk
from unjit.contents import Node

_KEYS = "↑↓ choose  ⏎ go there  ⌫ up  t source/transformed/bytecode  space b scroll  / search  q quit"
_STYLE = Style.from_dict({"bar": "reverse", "chosen": "bold reverse", "dim": "italic"})


def run(top: Node) -> None:
    """Walk until `q`. The screen is as before afterwards."""
    Screen(Walk(top)).application.run()


class Screen:
    """One walk on one terminal."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        search = SearchToolbar()
        self.pane = TextArea(read_only=True, scrollbar=True, wrap_lines=True, search_field=search)
        self.menu = Window(
            FormattedTextControl(self._menu, show_cursor=False, get_cursor_position=None),
            height=self._menu_height,
            dont_extend_height=True,
            always_hide_cursor=True,
        )
        body = HSplit([_bar(self._title), self.pane, _bar(lambda: "inside:"), self.menu, search, _bar(lambda: _KEYS)])
        self.application: Application[None] = Application(
            Layout(body, focused_element=self.pane), key_bindings=self._keys(), full_screen=True, style=_STYLE
        )
        self._show()

    def _title(self) -> str:
        return self.walk.title

    def _show(self) -> None:
        """The text of where one is now, from its beginning."""
        self.pane.text = self.walk.shown.text()
        self.pane.buffer.cursor_position = 0

    def _menu_height(self) -> Dimension:
        """The lines of the menu: one for each thing inside, up to a good third of the screen."""
        rows = self.application.output.get_size().rows if hasattr(self, "application") else 24
        return Dimension.exact(max(1, min(len(self.walk.here.inside), rows * 2 // 5)))

    def _menu(self) -> StyleAndTextTuples:
        """The lines around what is chosen."""
        inside, chosen = self.walk.here.inside, self.walk.here.chosen
        if not inside:
            return [("class:dim", "nothing more")]
        height = self._menu_height().preferred
        first = max(0, min(chosen - height // 2, len(inside) - height))
        width = max(len(child.name) for child in inside)
        return [
            (
                "class:chosen" if number == chosen else "",
                f"{'>' if number == chosen else ' '} {child.name:<{width}}  {child.title}\n",
            )
            for number, child in enumerate(inside[first : first + height], start=first)
        ]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        walk = self.walk

        def bind(do: Callable[[KeyPressEvent], object], *names: str, shows: bool = False) -> None:
            def act(event: KeyPressEvent) -> None:
                if do(event) is not False and shows:
                    self._show()

            for name in names:
                keys.add(name, filter=~is_searching, eager=True)(act)

        bind(lambda _: walk.choose(-1), "up", "k")
        bind(lambda _: walk.choose(1), "down", "j")
        bind(lambda _: walk.descend(), "enter", "right", "l", shows=True)
        bind(lambda _: walk.ascend(), "backspace", "left", "h", "u", shows=True)
        bind(lambda _: walk.toggle(), "t", "tab", shows=True)
        bind(scroll_page_down, "space", "pagedown")
        bind(scroll_page_up, "b", "pageup")
        bind(lambda event: event.app.exit(), "q", "c-c", "c-d")
        return keys


def _bar(text: AnyFormattedText) -> Window:
    return Window(FormattedTextControl(text), height=1, style="class:bar")
