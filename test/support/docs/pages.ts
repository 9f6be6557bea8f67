import { readFileSync } from 'node:fs';

/** The pages of the documentation as tests and generators read them. */

const root = new URL('../../../', import.meta.url);

/** URL of a file. @param path relative to the root of the repository. */
export const pageUrl = (path: string): URL => new URL(path, root);

/** Text of a file. @param path relative to the root of the repository. */
export const readPage = (path: string): string => readFileSync(pageUrl(path), 'utf8');

/** The pages with tested commands, in the order in which a reader follows them: later pages continue the session. */
const quickstartPages = [
  'README.md',
  'docs/getting-started.md',
  'docs/concepts/pipelines.md',
  'docs/concepts/automation.md',
  'docs/concepts/state.md',
  'docs/concepts/events.md',
  'docs/concepts/runs.md',
  'docs/concepts/locks.md',
  'docs/concepts/deletion.md',
  'docs/concepts/variables.md',
  'docs/concepts/safe-edits.md',
  'docs/concepts/safe-retries.md',
  'docs/concepts/bulk-jobs.md',
  'docs/concepts/history.md',
  'docs/tasks/find-stale-locks.md',
  'docs/tasks/roll-back-a-state.md',
  'docs/tasks/rotate-a-secret.md',
  'docs/tasks/take-over-from-hcp-terraform.md',
] as const;

/** The shell blocks below a `<!-- quickstart -->` mark, in order; `#=> text` says what the line before it prints. */
export const quickstartBlocks = (): readonly string[] =>
  quickstartPages.flatMap((page) => {
    const blocks = [...readPage(page).matchAll(/<!-- quickstart[^>]*-->\n```sh\n([\s\S]*?)```/g)];
    if (blocks.length === 0) throw new Error(`${page} has no block of tested commands`);
    return blocks.map(([, lines = '']) => lines);
  });

/** The code blocks of a page in one language. */
export const codeBlocks = (page: string, language: string): readonly string[] =>
  [...readPage(page).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
