import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  formatInvocation,
  type Invocation,
  type MessageKind,
  type ProcessMessage,
  type ProcessRequest,
  parseMessage,
  readLines,
  type WorkerSetup,
} from './worker-protocol.ts';

/** Receives what happens to a worker. After `onExit`, nothing more happens to it. */
export interface WorkerListener {
  readonly onMessage: (kind: MessageKind, content: string) => void;
  readonly onError: (name: string, message: string) => void;
  readonly onExit: (code: number) => void;
}

/** A thread in the process of the workers. */
export type WorkerThread = ReturnType<WorkerProcess['start']>;

/** The end of the process is reported by an event of its own. */
const ignoreError = (): void => {};

/** Heap of the service above which memory is released: about 35 MB are used without requests. */
const RELEASE_ABOVE_BYTES = 50 * 1024 * 1024;

/** Returns memory to the system that the service used under load. V8 keeps it for a process that does nothing. */
const releaseMemory = (): void => {
  if (process.memoryUsage().heapTotal < RELEASE_ABOVE_BYTES) return;
  // `npm start` exposes the function, other programs that start the service do not.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
};

/** Longest path of a Unix domain socket on all systems: macOS allows 103 bytes, Linux 107. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Creates a folder that no other user can open, and returns the path of a socket in it. */
const createSocketPath = (): string => {
  const pathBytes = Buffer.byteLength(join(tmpdir(), 'holdfast-XXXXXX', 'workers'));
  const parent = pathBytes <= MAX_SOCKET_PATH_BYTES ? tmpdir() : '/tmp';
  return join(mkdtempSync(join(parent, 'holdfast-')), 'workers');
};

/** A worker, and its connection as soon as it has one. */
interface ConnectedWorker {
  readonly listener: WorkerListener;
  socket?: Socket;
}

/**
 * Process in which the workers of all functions run as threads. It starts with the first worker and ends with the last,
 * because the memory of ended threads would stay with the process. Each worker connects to a Unix domain socket in a folder
 * that no other user can open.
 */
export class WorkerProcess {
  readonly #workers = new Map<number, ConnectedWorker>();
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #started = 0;

  start(setup: WorkerSetup, environment: Readonly<Record<string, string>>, listener: WorkerListener) {
    this.#child ??= this.#fork();
    const child = this.#child;
    const send = (request: ProcessRequest) => void (child.connected && child.send(request, ignoreError));
    this.#started += 1;
    const number = this.#started;
    const worker: ConnectedWorker = { listener };
    this.#workers.set(number, worker);
    send({ kind: 'start', worker: number, setup, environment });
    return {
      /** Sends an invocation to a worker that is ready. */
      invoke: (invocation: Invocation): void => void worker.socket?.write(formatInvocation(invocation)),
      /** Starts to terminate the thread. */
      end: (): void => send({ kind: 'end', worker: number }),
    };
  }

  /** Waits until the process has ended. All workers must have ended or be ending. */
  async close(): Promise<void> {
    await this.#ended;
  }

  #connect(socket: Socket): void {
    let worker: ConnectedWorker | undefined;
    readLines(socket, (line) => {
      const [kind, content] = parseMessage(line);
      if (kind === 'worker') {
        worker = this.#workers.get(Number(content));
        if (worker) worker.socket = socket;
      } else worker?.listener.onMessage(kind, content);
    });
    socket.on('error', ignoreError);
  }

  #fork(): ChildProcess {
    const path = createSocketPath();
    const server = createServer((socket) => this.#connect(socket)).listen(path);
    const child = fork(fileURLToPath(new URL('worker-host.ts', import.meta.url)), [path], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (message: ProcessMessage) => this.#receive(message, child));
    this.#ended = once(child, 'exit')
      .then(
        ([code]) => this.#endAll(child, code ?? 1),
        () => this.#endAll(child, 1),
      )
      .finally(() => {
        server.close();
        rmSync(dirname(path), { recursive: true, force: true });
      });
    return child;
  }

  #receive(message: ProcessMessage, child: ChildProcess): void {
    const worker = this.#workers.get(message.worker);
    if (message.kind === 'error') worker?.listener.onError(message.name, message.message);
    else {
      this.#workers.delete(message.worker);
      if (worker) void reportExit(worker, message.code);
      if (this.#workers.size > 0) return;
      this.#child = undefined;
      child.disconnect();
      releaseMemory();
    }
  }

  /** Reports the end of all workers when the process ended before them. */
  #endAll(child: ChildProcess, code: number): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    for (const worker of workers) void reportExit(worker, code);
  }
}

/** Reports the end of a worker after its last message, which may still be on its way. */
const reportExit = async ({ listener, socket }: ConnectedWorker, code: number): Promise<void> => {
  if (socket && !socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  listener.onExit(code);
};
