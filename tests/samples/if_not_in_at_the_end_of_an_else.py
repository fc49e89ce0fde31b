# comes back as written since 3.11
def f(package, spec):
    if package is not None:
        return package
    elif spec is not None:
        return spec.parent
    else:
        h(1)
        package = globals['__name__']
        if '__path__' not in globals:
            package = package.rpartition('.')[0]
    return package
