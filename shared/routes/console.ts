/**
 * Paths of the web console, in API Gateway's notation: `{path+}` is the rest of a path. The console is no part of the API,
 * so it has no routes in the route table and the OpenAPI document (CONSOLE-1).
 */
export const consolePaths = ['/', '/app', '/app/{path+}', '/assets/{path+}'] as const;
