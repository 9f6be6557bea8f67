import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf } from './acknowledgements.ts';
import { combinations, settingsWithoutCombination } from './combinations.ts';
import { hasPython, installJudges, lint, scan } from './judges.ts';
import { writeTemplates } from './templates.ts';

/**
 * Checks the templates of all combinations of settings with cfn-lint and checkov (`npm run check:templates`). Without
 * Python the check is skipped, unless HOLDFAST_PYTHON is `required`.
 */
const check = async (): Promise<readonly string[]> => {
  const commands = installJudges();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-templates-'));
  try {
    const templates = await writeTemplates(folder);
    const problems = [
      ...settingsWithoutCombination().map((name) => `combinations.ts has no combination with the setting ${name}`),
      ...problemsOf([...lint(commands, templates), ...scan(commands, templates)]),
    ];
    console.log(
      `cfn-lint and checkov: ${templates.length} different templates of ${Object.keys(combinations).length} ` +
        `combinations of settings, ${problems.length} problems`,
    );
    return problems;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

if (hasPython()) {
  const problems = await check();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} else if (process.env['HOLDFAST_PYTHON'] === 'required') {
  throw new Error('python3 with venv is not installed. check:templates needs it to run cfn-lint and checkov.');
} else {
  console.log('Skipped: cfn-lint and checkov need python3 with venv, which is not installed.');
}
