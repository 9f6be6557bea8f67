import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { count, flag, nullable, oneOf, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';
import { statusTimes } from '../runs/attributes.ts';

/** The attributes of a configuration version (RUN-7). */
export const attributes = {
  status: { response: oneOf(configurationStatuses) },
  'status-timestamps': { response: statusTimes(configurationStatuses) },
  source: { response: nullable(text()) },
  speculative: { response: flag('Whether only plan-only runs use it.') },
  provisional: { response: flag() },
  'auto-queue-runs': { response: flag() },
  error: { response: nullable(text()) },
  'error-message': { response: nullable(text()) },
  'upload-url': { response: nullable(text()) },
  'created-at': { response: time() },
} as const satisfies AttributeTable;

/** The attributes of the commit of a configuration version. */
export const ingressAttributes = {
  branch: { response: nullable(text()) },
  'clone-url': { response: nullable(text()) },
  'commit-message': { response: nullable(text()) },
  'commit-sha': { response: nullable(text()) },
  'commit-url': { response: nullable(text()) },
  'compare-url': { response: nullable(text()) },
  identifier: { response: nullable(text()) },
  'is-pull-request': { response: flag() },
  'on-default-branch': { response: flag() },
  'pull-request-number': { response: nullable(count()) },
  'pull-request-title': { response: nullable(text()) },
  'pull-request-url': { response: nullable(text()) },
  'sender-username': { response: nullable(text()) },
  tag: { response: nullable(text()) },
} as const satisfies AttributeTable;

/** The attributes of the README of a configuration version. */
export const readmeAttributes = { 'raw-markdown': { response: text() } } as const satisfies AttributeTable;
