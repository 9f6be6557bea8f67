import { synthesizeHub } from './build/synthesize-hub.ts';
import { SettingsError } from './settings/settings.ts';

/** Entry point of the CDK CLI for a hub: `npx cdk deploy --app "node infra/hub.ts"`. */
try {
  await synthesizeHub();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
