import { runApp, synthesize } from './build/synthesize.ts';

/** Entry point of the CDK CLI, see `cdk.json`. */
await runApp(synthesize);
