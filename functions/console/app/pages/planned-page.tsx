import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';

/** Shown for a page that the console does not have yet: the API has the same data. */
export const PlannedPage = ({ title, operation }: { readonly title: string; readonly operation: string }) => (
  <Page title={title}>
    <Notice kind="info" title="The console does not show this yet">
      <p>
        Use the API: <a href={`/docs#${operation}`}>{operation}</a>.
      </p>
    </Notice>
  </Page>
);
