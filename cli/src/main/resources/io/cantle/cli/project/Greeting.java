package hello;

/** What a process writes into the map. Records, strings and numbers can be stored as they are. */
record Greeting(String from, String text) {}
