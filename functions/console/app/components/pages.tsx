import { Button } from './button.tsx';

interface PagesProps {
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onChange: (page: number) => void;
}

/** Shows which page of a list is shown, and opens the others. With one page, it shows nothing. */
export const Pages = ({ page, pageSize, total, onChange }: PagesProps) => {
  const last = Math.ceil(total / pageSize);
  if (last <= 1) return null;
  return (
    <nav className="cluster" aria-label="Pages">
      <Button disabledReason={page === 1 ? 'This is the first page.' : undefined} onClick={() => onChange(page - 1)}>
        Previous
      </Button>
      <span role="status">
        Page {page.toLocaleString()} of {last.toLocaleString()} · {total.toLocaleString()} in all
      </span>
      <Button disabledReason={page === last ? 'This is the last page.' : undefined} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </nav>
  );
};
