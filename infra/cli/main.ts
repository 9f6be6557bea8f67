#!/usr/bin/env node
import manifest from './package.json' with { type: 'json' };

/** The oldest Node that runs the command line, as `engines` of its package says. */
const OLDEST = [22, 12] as const;

const isOldNode = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
};

if (isOldNode()) {
  process.stderr.write(
    `holdfast needs Node ${OLDEST.join('.')} or newer, and this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  // Scripts ask for it often. It needs no parser.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.stderr.write(`Error: The output cannot be written (${code}).\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${manifest.version}\n`);
} else {
  const { runProcess } = await import('./process.ts');
  await runProcess(manifest.version);
}
