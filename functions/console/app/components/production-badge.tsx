import { Badge } from './badge.tsx';

/**
 * Returns whether a workspace is production.
 * @param tags tags and bindings in force, as `name` or `key=value`.
 * @param production `production-tag` of the organization: a tag, the key of a binding, or a binding (ORG-15).
 */
const isProduction = (tags: readonly string[], production: string | null | undefined): boolean =>
  production != null &&
  tags.some((tag) => tag === production || (!production.includes('=') && tag.startsWith(`${production}=`)));

interface ProductionProps {
  readonly tags: readonly string[];
  readonly production: string | null | undefined;
}

/** Marks a workspace that the owners of the organization have declared to be production. */
export const ProductionBadge = ({ tags, production }: ProductionProps) =>
  isProduction(tags, production) && <Badge>production</Badge>;
