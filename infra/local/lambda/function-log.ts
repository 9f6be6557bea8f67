import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** Where the output of all functions goes: JSON lines in a file of bounded size, with the one before it kept. */
export interface FunctionLog {
  /** One line that a function wrote; what is not JSON is wrapped. */
  write(functionName: string, line: string): void;
  close(): void;
}

const LARGEST_FILE_BYTES = 10 * 1024 * 1024;

export const openFunctionLog = (path: string, largest = LARGEST_FILE_BYTES): FunctionLog => {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let closed = false;
  return {
    write: (functionName, line) => {
      if (closed) return;
      if (size > largest) {
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
