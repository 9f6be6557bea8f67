import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { updateOrganization } from '../../../../../shared/client/organizations.ts';
import { listTokenTtlPolicies, setTokenTtlPolicies } from '../../../../../shared/client/tokens.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { tokenTtlPoliciesQuery } from '../../api/tokens.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { SelectField, toOptions } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

type Policy = Schemas['TokenTtlPolicy'];

/** Types of tokens, by their names in the API. */
const typeLabels: Readonly<Record<Policy['attributes']['token-type'], string>> = {
  organization: 'Organization token',
  team: 'Team tokens',
  user: 'User tokens',
  audit_trails: 'Audit trail token',
};

/** Lifetimes that the form offers, in milliseconds. */
const lifetimeLabels: Readonly<Record<string, string>> = {
  3600000: '1 hour',
  28800000: '8 hours',
  86400000: '1 day',
  604800000: '7 days',
  2592000000: '30 days',
  7776000000: '90 days',
  31536000000: '1 year',
  63113904000: '2 years',
};

const HOUR = 3_600_000;

const formatLifetime = (milliseconds: number): string =>
  lifetimeLabels[milliseconds] ?? `${(milliseconds / HOUR).toLocaleString()} hours`;

const TITLE = 'Lifetime of tokens';
const EDIT = 'Edit the limits';
const LIFT = 'Lift the limits';

/** Shows how long new tokens may be valid, and changes it. */
export const TokenLifetimes = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-update');
  const policies = useQuery(tokenTtlPoliciesQuery(organization));
  const attributes = useQuery(organizationQuery(organization)).data?.document.data.attributes;
  const [open, setOpen] = useState<'edit' | 'lift'>();
  const isLimited = attributes?.['max-ttl-enabled'] === true;
  const paths = [`/organizations/${organization}`];
  const close = () => setOpen(undefined);
  return (
    <Section
      title={TITLE}
      description="The longest time for which new tokens are valid. Tokens that exist already stay as they are."
      actions={
        <>
          <OptionsMenu of="the lifetimes" requests={[listTokenTtlPolicies(organization)]} />
          <Button disabledReason={missing} onClick={() => setOpen('edit')}>
            {EDIT}
          </Button>
          {isLimited && (
            <Button disabledReason={missing} onClick={() => setOpen('lift')}>
              {LIFT}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={policies}>
        {({ document: { data } }) => (
          <>
            {isLimited ? (
              <Facts
                facts={data.map(({ attributes: { 'token-type': type, 'max-ttl-ms': limit } }) => [
                  typeLabels[type],
                  formatLifetime(limit),
                ])}
              />
            ) : (
              <p className="muted">New tokens may be valid for any time.</p>
            )}
            {open === 'edit' && <LimitsDialog policies={data} isLimited={isLimited} paths={paths} onClose={close} />}
          </>
        )}
      </Loaded>
      {open === 'lift' && (
        <ConfirmDialog
          title={LIFT}
          description="New tokens may then be valid for any time. The limits are kept for when they are put in force again."
          submitLabel="Lift"
          request={updateOrganization(organization, { 'max-ttl-enabled': false })}
          invalidates={paths}
          message={`Lifted the limits of the lifetime of tokens of the organization ${organization}.`}
          onClose={close}
        />
      )}
    </Section>
  );
};

const LimitsDialog = ({
  policies,
  isLimited,
  paths,
  onClose,
}: {
  readonly policies: readonly Policy[];
  readonly isLimited: boolean;
  readonly paths: readonly string[];
  readonly onClose: () => void;
}) => {
  const organization = useOrganizationName();
  // The form keeps its entries while the query is refreshed.
  const [opened] = useState(policies);
  const [entered, setEntered] = useState<Readonly<Record<string, string>>>({});
  const action = useDialogAction({
    invalidates: paths,
    message: `Limited the lifetime of tokens of the organization ${organization}.`,
    onClose,
  });
  const rows = opened.map(({ attributes: { 'token-type': type, 'max-ttl-ms': stored } }) => ({
    type,
    stored,
    value: entered[type] ?? String(stored),
  }));
  // Only what the user has changed is sent, so that the changes of others remain. Without a change, the limits are put in force.
  const changed = rows.filter(({ stored, value }) => value !== String(stored));
  const sent = changed.length > 0 ? changed : rows;
  return (
    <ActionDialog
      title={EDIT}
      description="A token without an expiry of its own expires when its limit is reached."
      submitLabel="Save"
      action={action}
      request={setTokenTtlPolicies(
        organization,
        sent.map(({ type, value }) => ({ 'token-type': type, 'max-ttl-ms': Number(value) })),
      )}
      isUnchanged={isLimited && changed.length === 0}
      onClose={onClose}
    >
      {rows.map(({ type, stored, value }) => (
        <SelectField
          key={type}
          name={type}
          label={typeLabels[type]}
          value={value}
          options={toOptions({ ...lifetimeLabels, [stored]: formatLifetime(stored) })}
          onChange={(next) => setEntered({ ...entered, [type]: next })}
        />
      ))}
    </ActionDialog>
  );
};
