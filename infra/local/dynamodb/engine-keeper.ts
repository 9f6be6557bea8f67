/**
 * Runs the engine and stops it when the service ends. If the service is killed and cannot clean up, the pipe to standard
 * input closes, so the engine is stopped in this case too.
 */
import { spawn } from 'node:child_process';

const [binary = '', ...options] = process.argv.slice(2);
const engine = spawn(binary, options, { stdio: ['ignore', 'inherit', 'inherit'] });

const KILL_AFTER_MILLIS = 3_000;

const stop = (): void => {
  engine.kill('SIGTERM');
  setTimeout(() => engine.kill('SIGKILL'), KILL_AFTER_MILLIS).unref();
};

process.stdin.resume().on('end', stop).on('error', stop);
process.on('SIGTERM', stop);
engine.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
engine.on('exit', (code) => process.exit(code ?? 1));
