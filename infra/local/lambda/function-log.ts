import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** Log file of all functions, with one JSON object on each line. When it is full, it is kept as `<file>.1`. */
export interface FunctionLog {
  /** Writes one line of the output of a function. Text that is not JSON is wrapped in JSON. */
  write(functionName: string, line: string): void;
  close(): void;
}

const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Opens the log file, to which lines are appended. */
export const openFunctionLog = (path: string, maxBytes = MAX_FILE_BYTES): FunctionLog => {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let closed = false;
  return {
    write: (functionName, line) => {
      if (closed) return;
      if (size > maxBytes) {
        closeSync(file);
        renameSync(path, `${path}.1`);
        file = openSync(path, 'a', 0o600);
        size = 0;
      }
      size += writeSync(file, `${isJson(line) ? line : wrap(functionName, line)}\n`);
    },
    close: () => {
      if (closed) return;
      closed = true;
      closeSync(file);
    },
  };
};

const isJson = (line: string): boolean => {
  if (!line.startsWith('{')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};

const wrap = (functionName: string, message: string): string =>
  JSON.stringify({ timestamp: new Date().toISOString(), function_name: functionName, message });
