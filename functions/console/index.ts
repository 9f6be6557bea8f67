import { createPageHandler } from '../../shared/http/page-handler.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment, readPresignedOrigin, readService } from '../../shared/runtime/environment.ts';
import { openFiles } from './files.ts';
import { createSecurityHeaders } from './security-headers.ts';
import { serveConsole } from './serve.ts';
import { findStateOrigin } from './state-origin.ts';

const { BUCKET_NAME: bucket } = readEnvironment('console');
const stateOrigin = findStateOrigin({ bucket, ...readService('S3'), presignedOrigin: readPresignedOrigin() });

/** Lambda handler of the web console (CONSOLE-1): serves the files that were built with the bundle, next to it. */
export const handler = createPageHandler(
  createLogger('console'),
  serveConsole(openFiles(new URL('./web/', import.meta.url)), createSecurityHeaders(stateOrigin)),
);
