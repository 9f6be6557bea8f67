import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { organizationTagsQuery } from '../../api/organizations.ts';
import { TextField } from '../../components/form.tsx';

interface TagsFieldProps extends Omit<ComponentProps<typeof TextField>, 'label' | 'suggestions'> {
  readonly organization: string;
}

/** Shows a field for several tags, and suggests those of the organization. */
export const TagsField = ({ organization, ...field }: TagsFieldProps) => {
  const tags = useQuery(organizationTagsQuery(organization));
  return (
    <TextField
      hint="Write name or key=value, separated by commas."
      {...field}
      label="Tags"
      suggestions={(tags.data?.document.data ?? []).map(({ attributes }) => attributes.name)}
    />
  );
};
