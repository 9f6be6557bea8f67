// biome-ignore lint/suspicious/noExplicitAny: inputs, outputs and contexts of every command.
export type Any = any;

/** Handler of a command, as the middlewares of the SDK call it: it takes `request` and returns `response` and `output`. */
export type Handler = (args: Any) => Promise<Any>;

/** Middleware of the SDK. */
export type Middleware = (next: Handler, context: Any) => Handler;
