/** Features that depend on the edition. */
export interface Features {
  /** Health assessments: `assessments-enabled` in requests and responses (EDITION-2). */
  readonly healthAssessments: boolean;
  /** The attribute `hyok-enabled` (EDITION-3). */
  readonly holdYourOwnKey: boolean;
  /** Whether a deployment setting defines the default of `global-remote-state` (EDITION-4). */
  readonly globalRemoteStateDefault: boolean;
  /** Data retention policies: endpoints and relationships of workspaces (EDITION-5). */
  readonly retentionPolicies: boolean;
}

/**
 * Features of the two editions of the API (EDITION-1). Code never checks for an edition, only for a feature.
 */
export const editions = {
  'self-hosted': {
    healthAssessments: false,
    holdYourOwnKey: false,
    globalRemoteStateDefault: true,
    retentionPolicies: true,
  },
  hosted: {
    healthAssessments: true,
    holdYourOwnKey: true,
    globalRemoteStateDefault: false,
    retentionPolicies: false,
  },
} as const satisfies Record<string, Features>;

export type Edition = keyof typeof editions;
export const editionNames = Object.keys(editions) as Edition[];
