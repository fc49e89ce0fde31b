# comes back as written
"""Both go on with the loop around, as what is after its `else` does: what stands before either is in the loop."""


def f(devices, hints):
    for device in devices:
        for hint in hints:
            if hint is bool:
                try:
                    use(hint)
                except ValueError:
                    log(hint)
                    break
            elif match(device, hint):
                continue
            skip(device)
            break
        else:
            found(device)
