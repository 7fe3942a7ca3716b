"""What the runtimes of some languages print when a program fails, as it is pasted together with the code."""

TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "report.py", line 9, in <module>\n'
    '    print(order_id("x"))\n'
    '  File "report.py", line 6, in order_id\n'
    "    return match.group(1)\n"
    "           ^^^^^^^^^^^\n"
    "AttributeError: 'NoneType' object has no attribute 'group'\n"
)
NODE_TRACE = (
    "/home/me/app.js:3\n  return user.name;\n              ^\n\nTypeError: Cannot read properties of undefined (reading 'name')\n"
    "    at show (/home/me/app.js:3:15)\n    at Object.<anonymous> (/home/me/app.js:6:1)\n\nNode.js v20.1.0\n"
)
JAVA_TRACE = (
    'Exception in thread "main" java.lang.NullPointerException: name\n\tat a.Main.show(Main.java:4)\n\tat a.Main.main(Main.java:9)\n'
    "Caused by: java.io.IOException: x\n\t... 2 more\n"
)
GO_TRACE = (
    "panic: runtime error: index out of range [3] with length 3\n"
    "\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:8 +0x1d\n"
    "exit status 2\n"
)
RUST_TRACE = "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3\nnote: run with `RUST_BACKTRACE=1`\n"
