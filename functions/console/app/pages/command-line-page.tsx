import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../components/code-block.tsx';
import { Page, Section } from '../components/page.tsx';
import { installLines } from '../lib/install-lines.ts';

/** Shows how to install the command line that this service has, and how to sign in with it. */
export const CommandLinePage = () => {
  const { origin, host, protocol } = window.location;
  return (
    <Page title="Command line">
      <Section
        title="Install or update"
        description="holdfast needs Node 22.12 or newer, and the folder ~/.local/bin in your PATH. The second line compares the file with its checksum; on a Mac without sha256sum, write shasum -a 256 there."
      >
        <CodeBlock label="In a terminal" code={installLines(origin)} />
      </Section>
      <Section
        title="Sign in"
        description={
          <>
            The command reads a token. Create one on the page <Link to="/settings/tokens">Your tokens</Link>.
          </>
        }
      >
        {/* A host name alone stands for HTTPS. */}
        <CodeBlock label="Sign in" code={`holdfast login ${protocol === 'https:' ? host : origin}`} />
        <CodeBlock label="Find a command" code="holdfast --help" />
      </Section>
    </Page>
  );
};
