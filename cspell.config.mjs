import { words } from './docs/develop/prose/terms.mjs';

/** Spelling of the documentation and the source, and the discouraged words of docs/develop/language.md. */
export default {
  version: '0.2',
  language: 'en-US',
  files: ['**/*.{md,ts,tsx,css,html,mjs,json,yml,yaml}', '.github/**'],
  useGitignore: true,
  ignorePaths: [
    '.git',
    'cspell.config.mjs',
    'docs/develop/prose/terms.mjs',
    'package-lock.json',
    'test/fixtures',
    'test/clients/generated',
    'test/clients/go-client',
    'test/support/checks/templates/requirements.txt',
  ],
  enableGlobDot: true,
  dictionaries: ['project', 'aws', 'bash', 'css', 'html', 'node', 'npm', 'softwareTerms', 'typescript'],
  dictionaryDefinitions: [{ name: 'project', path: './docs/develop/prose/dictionary.txt', addWords: true }],
  ignoreRegExpList: [
    // Ids and tokens, such as ws-2jPTvTDXBPFzPGbT and hfu_...
    '/\\b[a-z]{1,6}-[0-9a-z]{16}\\b/gi',
    '/\\bhf[a-z]_[0-9a-z]{40,}/gi',
    // Stored names that predate the list index and the cleanup function.
    /(\/|'|`|@)(catalogues|announcements)\b|SWEEP#/g,
    // Base58 alphabet.
    '/123456789[a-z]{49}/gi',
    // Escapes: %5B of URLs, and \u005b and \n of strings.
    '/%[0-9a-f]{2}/gi',
    '/\\\\(u[0-9a-f]{4}|u\\{[0-9a-f]+\\}|[nrt])/gi',
    // The option of the benchmark.
    /--beside\b|values\.beside\b|\bbeside: \{ type/g,
  ],
  flagWords: words.flatMap(([pattern, term]) => pattern.split('|').map((word) => `${word}->${term}`)),
  overrides: [
    {
      filename: 'test/**',
      // Misspelled, cut or random on purpose: input that the service has to handle.
      ignoreWords: [
        'aect',
        'cmdline',
        'schedstat',
        'ahao',
        'baab',
        'bearerx',
        'buil',
        'délta',
        'editon',
        'execvp',
        'größe',
        'jaob',
        'lsit',
        'ject',
        'nmae',
        'oper',
        'ünïcödé',
        'utput',
        'waitpid',
        'waitstatus',
        'ñandú',
        'ｓubject',
      ],
    },
  ],
  cache: { useCache: true, cacheLocation: './node_modules/.cache/cspell', cacheStrategy: 'content' },
};
