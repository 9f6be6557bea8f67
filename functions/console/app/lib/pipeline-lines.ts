import type { PlatformName } from './pipeline-platforms.ts';

/** Values on which the lines of a pipeline depend. */
interface Pipeline {
  /** Id of the workload identity. */
  readonly id: string;
  readonly audience: string;
  /** Scheme and host of the service. */
  readonly origin: string;
  /** Name of the variable from which terraform and tofu read the token. */
  readonly variable: string;
  /** Whether the token is allowed to apply plans. */
  readonly mayApply: boolean;
}

/** Quotes a text for a shell. Texts of the usual characters stay as they are. */
const quote = (text: string): string => (/^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Builds the command that changes the identity token on its standard input for a token of the service. */
const exchange = ({ id, origin }: Pipeline, indentation: string): string =>
  [
    `curl -sSf ${origin}/oauth2/token`,
    '-d grant_type=urn:ietf:params:oauth:grant-type:token-exchange',
    `-d client_id=${id}`,
    '-d subject_token_type=urn:ietf:params:oauth:token-type:id_token',
    '--data-urlencode subject_token@- | jq -er .access_token',
  ].join(` \\\n${indentation}  `);

/** Builds the command that ends the token of a pipeline. */
const revoke = ({ origin, variable }: Pipeline): string =>
  `printf %s "$${variable}" | curl -sSf ${origin}/oauth2/revoke --data-urlencode token@-`;

/** Builds the command that runs terraform. */
const run = ({ mayApply }: Pipeline): string =>
  `terraform init && terraform ${mayApply ? 'apply -auto-approve' : 'plan'}`;

/** Builds the lines of a pipeline that runs terraform with a token, by platform. They need curl and jq. */
const lines: Readonly<Record<PlatformName, (pipeline: Pipeline) => string>> = {
  github: (pipeline) => `\
permissions:
  id-token: write
  contents: read
steps:
  - uses: actions/checkout@v5
  - name: Get a token
    run: |
      identity=$(curl -sSf -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
        "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(pipeline.audience)}" | jq -er .value)
      token=$(printf %s "$identity" | ${exchange(pipeline, '      ')})
      echo "::add-mask::$token"
      echo "${pipeline.variable}=$token" >> "$GITHUB_ENV"
  - run: ${run(pipeline)}
  - name: End the token
    if: always()
    run: ${revoke(pipeline)}`,
  gitlab: (pipeline) => `\
deploy:
  id_tokens:
    IDENTITY_TOKEN:
      aud: ${JSON.stringify(pipeline.audience)}
  script:
    - |
      token=$(printf %s "$IDENTITY_TOKEN" | ${exchange(pipeline, '      ')})
      export ${pipeline.variable}="$token"
    - ${run(pipeline)}
    - ${revoke(pipeline)}`,
  aws: (pipeline) => `\
identity=$(aws sts get-web-identity-token --audience ${quote(pipeline.audience)} \\
  --signing-algorithm RS256 --duration-seconds 300 --query WebIdentityToken --output text)
token=$(printf %s "$identity" | ${exchange(pipeline, '')})
export ${pipeline.variable}="$token"
${run(pipeline)}
${revoke(pipeline)}`,
  other: (pipeline) => `\
# IDENTITY_TOKEN is a token of the issuer for the audience ${pipeline.audience}
token=$(printf %s "$IDENTITY_TOKEN" | ${exchange(pipeline, '')})
export ${pipeline.variable}="$token"
${run(pipeline)}
${revoke(pipeline)}`,
};

/**
 * Builds the lines with which a pipeline changes its identity token for a token of the service, runs terraform, and ends the
 * token.
 */
export const pipelineLines = (platform: PlatformName, pipeline: Pipeline): string => lines[platform](pipeline);
