import { useState } from 'react';
import { decideDevice, showDevice } from '../../../../shared/client/login.ts';
import type { DocumentOf } from '../../../../shared/client/types.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Form, FormErrors, TextField } from '../components/form.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { ForPerson } from './for-person.tsx';

const title = 'Sign in on a machine without a browser';

/**
 * Lets the user allow or deny a token for a machine without a browser, whose code the user types. No link fills in the code, so
 * that nobody allows the machine of somebody else with two clicks (LOGIN-9).
 */
export const DevicePage = () => <ForPerson title={title}>{({ name }) => <Device name={name} />}</ForPerson>;

/** A login that waits for the decision of the user. */
type Waiting = DocumentOf<'post', '/oauth2/device/show'>;

const Device = ({ name }: { readonly name: string }) => {
  const [code, setCode] = useState('');
  const [waiting, setWaiting] = useState<Waiting>();
  const find = useAction({
    onDone: ({ document }: { readonly document: Waiting }) => setWaiting(document),
  });
  return (
    <Page title={title} isNarrow>
      {waiting === undefined ? (
        <Section
          title="Type the code that the terminal shows"
          description="Only if you have just started the login there yourself: nobody else has a reason to give you a code."
        >
          <Form error={find.error} onSubmit={() => find.run(showDevice(code))}>
            <div className="stack">
              <FormErrors />
              <TextField
                label="Code"
                name="user_code"
                hint="Such as WDJB-MJHT."
                value={code}
                onChange={setCode}
                isCode
                autoFocus
              />
              <div className="cluster">
                <Button type="submit" look="primary" isPending={find.isPending}>
                  Continue
                </Button>
              </div>
            </div>
          </Form>
        </Section>
      ) : (
        <Decision
          name={name}
          code={code}
          waiting={waiting}
          onBack={() => {
            setWaiting(undefined);
            setCode('');
          }}
        />
      )}
    </Page>
  );
};

interface DecisionProps {
  readonly name: string;
  readonly code: string;
  readonly waiting: Waiting;
  /** Called to type another code. */
  readonly onBack: () => void;
}

const Decision = ({ name, code, waiting, onBack }: DecisionProps) => {
  const [outcome, setOutcome] = useState<'allow' | 'deny'>();
  const allow = useAction({ onDone: () => setOutcome('allow') });
  const deny = useAction({ onDone: () => setOutcome('deny') });
  if (outcome !== undefined) {
    return (
      <Notice
        kind={outcome === 'allow' ? 'success' : 'info'}
        title={outcome === 'allow' ? 'The login is allowed' : 'The login is denied'}
        isLive
      >
        <p>The command line on the machine goes on within seconds. You can close this page.</p>
      </Notice>
    );
  }
  const error = allow.error ?? deny.error;
  return (
    <Section
      title="Allow a token for this machine?"
      description="Allow it only if you have just started the login there yourself. The token may do everything that you may do."
    >
      <Facts
        facts={[
          ['User', name],
          ['Service', window.location.host],
          ['Client', waiting.client_id],
          ['Address of the machine', waiting.address],
          ['Requested', <Time key="request" value={waiting.requested_at} isFull />],
          ['Token expires', <Time key="expiry" value={waiting.expires_at} isFull />],
        ]}
      />
      {error !== null && <ErrorNotice error={error} />}
      <div className="cluster">
        <Button look="primary" isPending={allow.isPending} onClick={() => allow.run(decideDevice(code, 'allow'))}>
          Allow
        </Button>
        <Button isPending={deny.isPending} onClick={() => deny.run(decideDevice(code, 'deny'))}>
          Deny
        </Button>
        {error !== null && <Button onClick={onBack}>Type another code</Button>}
      </div>
    </Section>
  );
};
