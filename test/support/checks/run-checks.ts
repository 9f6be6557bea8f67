import { execFile } from 'node:child_process';
import { mapWithConcurrency } from '../../../shared/lib/concurrency.ts';

/**
 * Runs the checks of `npm run check` that only read, two at a time, as most of them use one of the two cores of CI. The
 * longest checks start first. `npm run check` generates before what these checks read.
 */
const checks = ['tsc', 'prose', 'unused', 'imports', 'openapi', 'generated', 'citations', 'docstrings', 'style'];

/** Limit for the output of a check, in bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a check and prints its output if it fails. @returns whether it succeeded. */
const runCheck = (check: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile('npm', ['run', '--silent', `check:${check}`], { maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      console.log(error === null ? `check:${check} succeeded` : `${stdout}${stderr}check:${check} failed`);
      resolve(error === null);
    });
  });

const results = await mapWithConcurrency(checks, 2, runCheck);
if (results.includes(false)) process.exitCode = 1;
