import { synthesize } from './build/synthesize.ts';
import { SettingsError } from './settings/settings.ts';

/** Entry point of the CDK CLI, see `cdk.json`. */
try {
  await synthesize();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
