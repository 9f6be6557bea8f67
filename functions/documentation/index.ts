import { createHandler } from '../../shared/http/stack.ts';
import { StaticFile } from '../../shared/http/static-file.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { files } from '../../shared/openapi/compiled/files.js';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openCommandLine } from './command-line.ts';

const { EDITION, CONSOLE } = readEnvironment('documentation');
const { openapi, page, discovery, discoveryWithoutLogin } = files[EDITION];
const published = (file: typeof openapi) => {
  const response = new StaticFile(file);
  return async () => response;
};

const commandLine = openCommandLine(new URL('./cli/', import.meta.url));

/** Lambda handler of the documentation (HTTP-2, HTTP-47): serves files that were generated when the functions were bundled. */
export const handler = createHandler(
  'documentation',
  {
    'documentation.openapi': published(openapi),
    'documentation.page': published(page),
    'documentation.discovery': published(CONSOLE ? discovery : discoveryWithoutLogin),
    'documentation.command-line': commandLine.file,
    'documentation.command-line-checksum': commandLine.checksum,
  },
  { logger: createLogger('documentation') },
);
