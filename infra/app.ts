import { SettingsError } from './settings.ts';
import { synthesise } from './synthesise.ts';

/** Entry of the CDK CLI (cdk.json). */
try {
  await synthesise();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
