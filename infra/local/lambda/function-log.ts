import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

export type FunctionLog = ReturnType<typeof openFunctionLog>;

const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Opens the log file of all functions, with one JSON object on each line. When it is full, it is kept as `<file>.1`. */
export const openFunctionLog = (path: string, maxBytes = MAX_FILE_BYTES) => {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let closed = false;
  return {
    /** Writes one line of the output of a function. Text that is not JSON is wrapped in JSON. */
    write: (functionName: string, line: string): void => {
      if (closed) return;
      if (size > maxBytes) {
        closeSync(file);
        renameSync(path, `${path}.1`);
        file = openSync(path, 'a', 0o600);
        size = 0;
      }
      size += writeSync(file, `${line.startsWith('{') && isJson(line) ? line : wrap(functionName, line)}\n`);
    },
    close: (): void => {
      if (!closed) closeSync(file);
      closed = true;
    },
  };
};

/** Reports whether a text is JSON. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const wrap = (functionName: string, message: string): string =>
  JSON.stringify({ timestamp: new Date().toISOString(), function_name: functionName, message });
