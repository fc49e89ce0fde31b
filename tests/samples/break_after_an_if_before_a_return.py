# comes back as written since 3.11
def f(self, keepends, lines):
    while True:
        data = self.read()
        if data:
            if len(lines) > 1:
                self.charbuffer = None
                if not keepends:
                    line = line.splitlines(keepends=False)[0]
                break
            line0withend = lines[0]
            if line0withend != line0withoutend:
                if keepends:
                    line = line0withend
                else:
                    line = line0withoutend
                break
        if not data or size is not None:
            if line and not keepends:
                line = line.splitlines(keepends=False)[0]
            break
        if readsize < 8000:
            readsize *= 2
    return line
