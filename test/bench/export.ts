/** Measures the memory of `holdfast export`, `bundle verify` and `import` (`npm run bench:export`). */
import { readArguments } from '../../infra/command-line.ts';
import { measureCommands } from './command-memory.ts';
import { createPlainService } from './plain-service.ts';

const usage = `Usage: npm run bench:export -- [--workspaces <number>] [--states <number>] [--kilobytes <number>] [--import]

Exports an organization of a service that exists in this process only, verifies the bundle, and prints the largest size of the heap
after a garbage collection. With --import, the bundle is then imported into another such service. The heap may grow by some hundred bytes for
each workspace, whose names other records refer to, and not with the number or the size of states.

  --workspaces <number>  workspaces
  --states <number>      state versions of each workspace
  --kilobytes <number>   size of each state
  --import               import the bundle`;

const { values } = readArguments(usage, {
  options: {
    workspaces: { type: 'string', default: '10000' },
    states: { type: 'string', default: '1' },
    kilobytes: { type: 'string', default: '1' },
    import: { type: 'boolean', default: false },
  },
});
const size = {
  workspaces: Number(values.workspaces),
  states: Number(values.states),
  kilobytes: Number(values.kilobytes),
};
const source = createPlainService(size, true);
const target = createPlainService(size, false);
await measureCommands([
  { argv: ['export', 'acme', '--out', 'bundle'], service: source },
  { argv: ['bundle', 'verify', 'bundle'], service: source },
  ...(values.import
    ? [
        ['init', 'bundle:bundle', 'move'],
        ['plan', 'move'],
        ['run', 'move'],
        ['plan', 'move'],
      ].map((words) => ({ argv: ['import', ...words], service: target }))
    : []),
]);
