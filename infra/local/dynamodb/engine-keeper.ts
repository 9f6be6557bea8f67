/**
 * Runs the engine and ends it as soon as the service that started this process is gone, even when the service was
 * killed without a chance to clean up: the pipe on standard input then closes.
 */
import { spawn } from 'node:child_process';

const [binary = '', ...options] = process.argv.slice(2);
const engine = spawn(binary, options, { stdio: ['ignore', 'inherit', 'inherit'] });

const PATIENCE_MILLIS = 3_000;

const stop = (): void => {
  engine.kill('SIGTERM');
  setTimeout(() => engine.kill('SIGKILL'), PATIENCE_MILLIS).unref();
};

process.stdin.resume().on('end', stop).on('error', stop);
process.on('SIGTERM', stop);
engine.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
engine.on('exit', (code) => process.exit(code ?? 1));
