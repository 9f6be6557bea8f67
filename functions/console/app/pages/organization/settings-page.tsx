import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type OrganizationAttributes,
  showOrganization,
  updateOrganization,
} from '../../../../../shared/client/organizations.ts';
import type { Reply } from '../../../../../shared/client/send.ts';
import type { Entered, Schemas } from '../../../../../shared/client/types.ts';
import { useHasIdentityProviders } from '../../api/identity-providers.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { useAction } from '../../api/use-action.ts';
import { changedEntries, rebaseEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { bindFields, CheckboxField, SelectField, TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SettingsForm, SettingsGroup } from '../../components/settings-form.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { formatValue } from '../../lib/compare.ts';
import { formBlocker } from '../../lib/form-blocker.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { DEFAULT_PROTECTION_HINT, GROUP_HINT, toLabel } from '../../lib/words.ts';
import { defaultModes } from './default-modes.ts';
import { ProductionTagField } from './production-tag.tsx';
import { useOrganizationName } from './use-organization.ts';

type Organization = Schemas['Organization'];
type OrganizationDocument = { readonly data: Organization };

/** Shows and changes the settings of an organization. */
export const OrganizationSettingsPage = () => {
  const name = useOrganizationName();
  const query = useQuery(organizationQuery(name));
  const hasProviders = useHasIdentityProviders();
  return (
    <Page title="Organization settings">
      <Loaded query={query}>
        {(reply) => (
          <div className="stack">
            <GeneralSettings stored={reply} hasProviders={hasProviders} />
            <AllSettings organization={reply.document.data} hasProviders={hasProviders} />
          </div>
        )}
      </Loaded>
    </Page>
  );
};

interface AllSettingsProps {
  readonly organization: Organization;
  readonly hasProviders: boolean;
}

const AllSettings = ({ organization, hasProviders }: AllSettingsProps) => {
  const { attributes } = organization;
  return (
    <Section
      title="All attributes"
      actions={<OptionsMenu of="all attributes" requests={[showOrganization(attributes.name)]} />}
    >
      <Facts
        facts={[
          ['Name', attributes.name],
          ['ID', <CopyableId key="id" id={attributes['external-id']} />],
          ['Created', <Time key="created" value={attributes['created-at']} />],
        ]}
      />
      <details>
        <summary>Values of all attributes</summary>
        <Facts facts={factsOf(organization, (name) => !isWithoutEffect(name, hasProviders))} />
      </details>
      <details>
        <summary>Stored for other clients, unused by Holdfast</summary>
        <Facts facts={factsOf(organization, (name) => isWithoutEffect(name, hasProviders))} />
      </details>
    </Section>
  );
};

type AttributeName = keyof Organization['attributes'];

/** Attributes with their own place above the list. */
const hidden: readonly string[] = ['permissions', 'created-at', 'name', 'external-id'] satisfies AttributeName[];

/** Attributes that the service only stores or that never change, for clients that expect them (ORG-5). */
const withoutEffect = [
  'aggregated-commit-status-enabled',
  'collaborator-auth-policy',
  'cost-estimation-enabled',
  'enforce-hyok',
  'is-unified',
  'plan-expired',
  'remaining-testable-count',
  'saml-enabled',
  'send-passing-statuses-for-untriggered-speculative-plans',
  'speculative-plan-management-enabled',
  'stacks-enabled',
  'trial-expires-at',
  'two-factor-conformant',
] as const satisfies readonly AttributeName[];

/** Attributes about people who sign in at an identity provider. Without one, they are only stored, too. */
const ofSignIn = [
  'owners-team-saml-role-id',
  'session-remember',
  'session-timeout',
  'sign-in-policy',
] as const satisfies readonly AttributeName[];

/** Attributes that the form does not offer. */
type NotOffered =
  | Extract<(typeof withoutEffect)[number], keyof OrganizationAttributes>
  | 'default-agent-pool-id'
  | 'max-ttl-enabled'
  | 'user-tokens-enabled';

const isWithoutEffect = (name: string, hasProviders: boolean): boolean =>
  [...withoutEffect, ...(hasProviders ? [] : ofSignIn)].some((one) => one === name);

const factsOf = ({ attributes }: Organization, isShown: (name: string) => boolean) =>
  Object.entries(attributes)
    .filter(([name]) => !hidden.includes(name) && isShown(name))
    .map(([name, value]) => [toLabel(name), formatValue(value, name)] as const);

const toText = (minutes: number | null): string => (minutes === null ? '' : String(minutes));

const toMinutes = (text: string): number | null => (text === '' ? null : Number(text));

/** Returns the values of the form. */
const toEntries = ({ attributes }: Organization) => ({
  email: attributes.email,
  'default-execution-mode': attributes['default-execution-mode'],
  'default-deletion-protection': attributes['default-deletion-protection'],
  'production-tag': attributes['production-tag'] ?? '',
  'allow-force-delete-workspaces': attributes['allow-force-delete-workspaces'],
  'allowed-value-references': attributes['allowed-value-references'].join('\n'),
  'owners-team-saml-role-id': attributes['owners-team-saml-role-id'] ?? '',
  'session-remember': toText(attributes['session-remember']),
  'session-timeout': toText(attributes['session-timeout']),
  'sign-in-policy': attributes['sign-in-policy'],
});

interface GeneralSettingsProps {
  /** The present revision, with its entity tag. */
  readonly stored: Reply<OrganizationDocument>;
  readonly hasProviders: boolean;
}

/** Shows the form of the settings that can be changed. */
const GeneralSettings = ({ stored, hasProviders }: GeneralSettingsProps) => {
  const queryClient = useQueryClient();
  // The form keeps its entries while the query is refreshed.
  const [opened, setOpened] = useState(stored);
  const { name } = opened.document.data.attributes;
  const [entries, setEntries] = useState(() => toEntries(opened.document.data));
  const { field, flag } = bindFields(entries, (changed) => setEntries({ ...entries, ...changed }));
  const action = useAction<OrganizationDocument>({
    invalidates: [`/organizations/${name}`],
    onDone: (reply) => {
      toast(`Changed the settings of the organization ${name}.`);
      setOpened(reply);
      setEntries(toEntries(reply.document.data));
    },
  });
  const { base = opened, changes } = useRevision(
    opened,
    action.error,
    () => queryClient.fetchQuery({ ...organizationQuery(name), staleTime: 0 }),
    ({ data: former }, { data: newest }) =>
      setEntries((entered) => rebaseEntries(entered, toEntries(former), toEntries(newest))),
  );
  const { attributes } = base.document.data;
  const entered: Entered<Schemas['OrganizationUpdateBody'], NotOffered> = {
    ...entries,
    'production-tag': entries['production-tag'].trim() || null,
    'allowed-value-references': entries['allowed-value-references']
      .split('\n')
      .filter((prefix) => prefix.trim() !== ''),
    'owners-team-saml-role-id': entries['owners-team-saml-role-id'] || null,
    'session-remember': toMinutes(entries['session-remember']),
    'session-timeout': toMinutes(entries['session-timeout']),
  };
  const changed = changedEntries<typeof entered>(attributes, entered);
  const isUnchanged = Object.keys(changed).length === 0;
  return (
    <SettingsForm
      onDiscard={() => {
        action.reset();
        setEntries(toEntries(base.document.data));
      }}
      action={action}
      request={updateOrganization(name, changed, base.etag)}
      isUnchanged={isUnchanged}
      changes={changes}
      disabledReason={
        missingPermission(attributes.permissions, 'can-update') ?? formBlocker({ 'E-mail': entries.email }, isUnchanged)
      }
    >
      <SettingsGroup>
        <TextField {...field('email')} label={toLabel('email')} type="email" />
        <ProductionTagField {...field('production-tag')} isOptional />
      </SettingsGroup>
      <SettingsGroup legend="Defaults of workspaces">
        <p className="muted">Workspaces inherit the defaults unless they or their project have their own.</p>
        <SelectField
          {...field('default-execution-mode')}
          label={toLabel('default-execution-mode')}
          options={defaultModes(attributes['default-execution-mode'])}
        />
        <CheckboxField
          {...flag('default-deletion-protection')}
          label={toLabel('default-deletion-protection')}
          hint={DEFAULT_PROTECTION_HINT}
        />
      </SettingsGroup>
      <SettingsGroup legend="Deletion">
        <CheckboxField
          {...flag('allow-force-delete-workspaces')}
          label={toLabel('allow-force-delete-workspaces')}
          hint="Otherwise only owners may. A force delete also deletes workspaces that are locked or manage resources."
        />
      </SettingsGroup>
      <SettingsGroup legend="Variables">
        <TextField
          {...field('allowed-value-references')}
          label={toLabel('allowed-value-references')}
          hint="In place of a value, a variable can name an SSM parameter or a secret of AWS Secrets Manager, which your runner reads. Enter how allowed names begin, one per line, such as ssm:/billing/."
          lines={3}
          isCode
        />
      </SettingsGroup>
      {hasProviders && (
        <SettingsGroup legend="Sign-in">
          <TextField
            {...field('owners-team-saml-role-id')}
            label={toLabel('owners-team-saml-role-id')}
            hint={`People in this group at an identity provider become owners when they sign in. ${GROUP_HINT}`}
            isOptional
          />
          <TextField
            {...field('session-remember')}
            label={toLabel('session-remember')}
            hint="The end of sessions of members, if that is earlier than in the whole service."
            type="number"
            isOptional
          />
          <TextField
            {...field('session-timeout')}
            label={toLabel('session-timeout')}
            hint="The end of sessions that are not used, if that is earlier than in the whole service."
            type="number"
            isOptional
          />
          <SelectField
            {...field('sign-in-policy')}
            label={toLabel('sign-in-policy')}
            hint="Members who do not sign in to the console with an identity provider any more, such as people who left, lose the access of their tokens. Tokens of teams keep theirs. The command “holdfast member list --without-sign-in” lists who would lose access now."
            options={[
              { value: 'any', label: 'Always' },
              { value: 'sso', label: 'After a recent sign-in' },
            ]}
          />
        </SettingsGroup>
      )}
    </SettingsForm>
  );
};
