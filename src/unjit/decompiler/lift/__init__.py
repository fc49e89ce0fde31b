"""Instructions to blocks of three-address statements: a symbolic run of the stack machine."""
