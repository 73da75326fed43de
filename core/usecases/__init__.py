"""What a command, a menu entry or a page asks for: functions over the services, one theme per
file. Policy is in the engine and the rules; here is what a person's request consists of."""
