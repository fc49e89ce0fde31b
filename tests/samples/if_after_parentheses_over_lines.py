# comes back as written since 3.11
def f(self, expect):
    if (expect.lower() == '100-continue' and
            self.protocol_version >= 'HTTP/1.1' and
            self.request_version >= 'HTTP/1.1'):
        if not self.handle_expect_100():
            return False
    return True
