"""Displays that never leave the frame, as Dynamo makes them to move values around: `displays`, `put_off`, `build`."""
