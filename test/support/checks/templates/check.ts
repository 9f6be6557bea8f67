import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { problemsOf } from './acknowledgements.ts';
import { combinations, settingsWithoutCombination } from './combinations.ts';
import { missingPermissions } from './deployer-permissions.ts';
import { hasPython, installJudges, lint, scan } from './judges.ts';
import { createStacks, gaps } from './moto.ts';
import { writeTemplates } from './templates.ts';

/** Names of the deployments of the example app. */
const deployments = ['holdfast', 'holdfast-trial'];

/**
 * Checks the templates of all combinations of settings and of the example app with cfn-lint and checkov, creates the stacks of
 * the example app in moto, and compares the policies of the deployer with what CloudFormation needs
 * (`npm run check:templates`). Without Python the check is skipped, unless
 * HOLDFAST_PYTHON is `required`.
 */
const check = async (): Promise<readonly string[]> => {
  const commands = installJudges();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-templates-'));
  try {
    const { paths, example } = await writeTemplates(folder);
    const creation = createStacks(commands, example, deployments);
    const problems = [
      ...settingsWithoutCombination().map((name) => `combinations.ts has no combination with the setting ${name}`),
      ...problemsOf([...lint(commands, paths), ...scan(commands, paths)]),
      ...creation.problems,
      // The stacks around the construct have other types of resources, for which the app needs policies of its own.
      ...missingPermissions(
        commands,
        paths.filter((path) => !basename(path).startsWith('example.')),
      ),
    ];
    console.log(
      `cfn-lint and checkov: ${paths.length} different templates of ${Object.keys(combinations).length} combinations ` +
        `of settings and the example app. moto: ${creation.resources} resources of ${deployments.length} deployments ` +
        `created, ${gaps.length} types unknown. ${problems.length} problems`,
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
  throw new Error('python3 with venv is not installed. check:templates needs it to run cfn-lint, checkov and moto.');
} else {
  console.log('Skipped: cfn-lint, checkov and moto need python3 with venv, which is not installed.');
}
