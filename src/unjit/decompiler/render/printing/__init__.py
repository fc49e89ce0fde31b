"""Plain `ast` to text: `printer` and `writer` write it, `brackets` says where some must be, `layout` breaks lines."""
