"""Before 3.12 an f-string whose fields are laid out over lines has triple quotes."""


def f(path, items, g):
    return (
        f"Mapped class {path[0]} referenced in "
        f"""{
            ", ".join(
                g(item.name)
                for item in items if item.name
            )}. Please """
        "specify the full path"
    )
