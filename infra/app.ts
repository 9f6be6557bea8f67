import { synthesise } from './build/synthesise.ts';
import { SettingsError } from './settings/settings.ts';

/** Entry of the CDK CLI (cdk.json). */
try {
  await synthesise();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
