import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { createUserToken } from '../../../../../shared/client/tokens.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { hasState } from '../../../../../shared/client/workspaces.ts';
import { accountQuery } from '../../api/organizations.ts';
import { userTokensQuery } from '../../api/tokens.ts';
import { useAction } from '../../api/use-action.ts';
import { workspacePageQuery } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { expiryOf } from '../../components/new-token.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { UnsavedEntries } from '../../components/unsaved-entries.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { cloudBlock, isFoundByHost } from '../../lib/terraform-examples.ts';
import { CLI_FILE, CliConfiguration, exportLine } from '../cli-configuration.tsx';
import './first-steps.css';

/** Time between two looks for what the user does in a terminal, in milliseconds. */
const PAUSE = 5_000;

/** Configuration with which the first apply stores a state, and creates nothing else. */
const firstConfiguration = (organization: string): string =>
  `${cloudBlock(organization, 'network')}\n\noutput "greeting" { value = "hello" }`;

interface FirstStepsProps {
  readonly organization: string;
  readonly onClose: () => void;
}

/** Leads the user to the first state of an organization without workspaces, in steps that tick themselves. */
export const FirstSteps = ({ organization, onClose }: FirstStepsProps) => {
  const [token, setToken] = useState<string>();
  const { data } = useQuery({
    ...workspacePageQuery(organization, {}, 1),
    refetchInterval: ({ state }) => (state.data?.rows.some(({ workspace }) => hasState(workspace)) ? false : PAUSE),
  });
  const workspaces = data?.rows.map(({ workspace }) => workspace) ?? [];
  const first = workspaces.find(hasState) ?? workspaces[0];
  const isStored = first !== undefined && hasState(first);
  const hasNewToken = useNewToken(isFoundByHost() && first === undefined);
  // Only a token that is created here can be in the file that the page shows.
  const hasToken = isFoundByHost() ? hasNewToken : token !== undefined;
  return (
    <section className="first-steps" aria-label="First steps">
      <UnsavedEntries
        isUnsaved={token !== undefined && first === undefined}
        title="Leave the token?"
        description="Only this page shows the text of the token that you have created. Save the files first."
      />
      <header className="first-step-content">
        <h2>{first === undefined ? 'There are no workspaces yet' : 'First steps'}</h2>
        {first === undefined && (
          <p className="muted">
            These steps lead to a first state, and each is checked off as soon as it is done. You can also create a
            workspace here. You see only workspaces that you may read.
          </p>
        )}
      </header>
      <ol>
        <Step number={1} title="Get a token" isDone={hasToken || first !== undefined}>
          {isFoundByHost() ? (
            <CodeBlock label="In a terminal" code={`terraform login ${window.location.host}`} />
          ) : (
            <TokenStep organization={organization} onCreated={setToken} />
          )}
        </Step>
        <Step number={2} title="Connect a folder with this organization" isDone={first !== undefined}>
          {!isFoundByHost() && (
            <p className="muted">
              terraform and tofu find a service without HTTPS only by a file. Save both files in an empty folder.
            </p>
          )}
          <div className="first-step-files">
            {!isFoundByHost() && <CliConfiguration token={token} />}
            <CodeBlock label="main.tf" code={firstConfiguration(organization)} />
          </div>
          <CodeBlock label="In this folder" code={`${isFoundByHost() ? '' : `${exportLine}\n`}terraform init`} />
        </Step>
        <Step number={3} title="Store the first state" isDone={isStored}>
          <CodeBlock label="In the same terminal" code="terraform apply" />
        </Step>
      </ol>
      <div className="cluster">
        <span role="status">
          {first === undefined ? (
            <span className="muted">Waiting for the first workspace …</span>
          ) : isStored ? (
            <>The first state is stored.</>
          ) : (
            <span className="muted">Waiting for the first state …</span>
          )}
        </span>
        {first !== undefined && (
          <>
            <Link
              to={isStored ? '/$organization/workspaces/$workspace/state' : '/$organization/workspaces/$workspace'}
              params={{ organization, workspace: first.attributes.name }}
            >
              {toVisible(first.attributes.name)}
            </Link>
            <Button onClick={onClose}>Hide the steps</Button>
          </>
        )}
      </div>
    </section>
  );
};

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

const Step = ({ number, title, isDone, children }: StepProps) => (
  <li className="first-step">
    <span className={`first-step-number ${isDone ? 'first-step-number-done' : ''}`}>
      {isDone ? <Icon name="check" /> : number}
    </span>
    <div className="first-step-content">
      <h3>
        {title}
        {isDone && <span className="visually-hidden"> (done)</span>}
      </h3>
      {!isDone && children}
    </div>
  </li>
);

/**
 * Reports whether the user has got a token since the page was opened, such as by `terraform login`.
 * @param isWanted whether to look for it.
 */
const useNewToken = (isWanted: boolean): boolean => {
  const user = useQuery({ ...accountQuery(), retry: false }).data?.document.data.id;
  const { data } = useQuery({
    ...userTokensQuery(user ?? ''),
    enabled: user !== undefined && isWanted,
    refetchInterval: PAUSE,
  });
  const ids = data?.document.data.map(({ id }) => id);
  const [known, setKnown] = useState(ids);
  if (known === undefined && ids !== undefined) setKnown(ids);
  return known !== undefined && ids?.some((id) => !known.includes(id)) === true;
};

interface TokenStepProps {
  readonly organization: string;
  readonly onCreated: (token: string) => void;
}

/** Lets the user create a token, which the configuration then contains. */
const TokenStep = ({ organization, onCreated }: TokenStepProps) => {
  const account = useQuery({ ...accountQuery(), retry: false });
  if (isNotFound(account.error)) {
    return (
      <p className="muted">
        You are not signed in as a user. Write the token with which you have signed in into {CLI_FILE}.
      </p>
    );
  }
  return (
    <Loaded query={account} lines={1}>
      {({ document: { data } }) => <NewToken user={data.id} organization={organization} onCreated={onCreated} />}
    </Loaded>
  );
};

/** @param user id of the user. */
const NewToken = ({ user, organization, onCreated }: TokenStepProps & { readonly user: string }) => {
  const action = useAction({
    invalidates: [`/users/${user}/authentication-tokens`],
    onDone: ({ document }: { readonly document: { readonly data: Schemas['NewAuthenticationToken'] } }) =>
      onCreated(document.data.attributes.token),
  });
  const description = `First steps in ${organization}`;
  // The text of a token that was created on an earlier visit cannot be read again.
  const isCreated = useQuery(userTokensQuery(user)).data?.document.data.some(
    ({ attributes }) => attributes.description === description,
  );
  const create = () => action.run(createUserToken(user, description, expiryOf('30', Date.now())));
  return (
    <>
      <p className="muted">
        {isCreated
          ? `You have created the token “${description}” before. Write its text into the file below, or create another one.`
          : 'It is valid for 30 days and may do everything that you may do. The file below shows it until you leave this page.'}
      </p>
      {action.error !== null && <ErrorNotice error={action.error} onRetry={create} />}
      <div className="cluster">
        <Button isPending={action.isPending} onClick={create}>
          {isCreated ? 'Create another token' : 'Create a token'}
        </Button>
      </div>
    </>
  );
};
