/**
 * Returns Node's module `zlib`, which is loaded at the first call. An import would load it with each function: that takes
 * more CPU time than most packages of a function, and few requests compress anything (docs/decisions/0047).
 */
export const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib');
