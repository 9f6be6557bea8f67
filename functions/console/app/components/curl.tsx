import { useState } from 'react';
import { type ApiRequest, toCurl } from '../../../../shared/client/request.ts';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { Dialog, DialogBody } from './dialog.tsx';

interface CurlProps {
  readonly requests: readonly ApiRequest[];
  /** Says what the requests are about, for screen readers, on a page with several such buttons. */
  readonly subject?: string;
}

/**
 * Shows a button that shows requests as curl commands. Commands name the token as `$HOLDFAST_TOKEN` and have placeholders
 * for sensitive values.
 */
export const Curl = ({ requests, subject }: CurlProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        look="quiet"
        {...(subject !== undefined && { 'aria-label': `Show as curl: ${subject}` })}
        onClick={() => setOpen(true)}
      >
        Show as curl
      </Button>
      {isOpen && <CurlDialog requests={requests} onClose={() => setOpen(false)} />}
    </>
  );
};

interface CurlDialogProps extends Pick<CurlProps, 'requests'> {
  readonly onClose: () => void;
}

/** Shows requests as curl commands. */
export const CurlDialog = ({ requests, onClose }: CurlDialogProps) => {
  const hasSecrets = requests.some(({ secrets = [] }) => secrets.length > 0);
  return (
    <Dialog
      title="The same with curl"
      description={hasSecrets ? 'Replace the placeholders in angle brackets.' : undefined}
      size="medium"
      onClose={onClose}
    >
      <DialogBody>
        <CodeBlock
          label={requests.length === 1 ? 'Command' : `${requests.length} commands`}
          code={requests.map((request) => toCurl(request, window.location.origin)).join('\n\n')}
        />
      </DialogBody>
    </Dialog>
  );
};
