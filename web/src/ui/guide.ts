import { createContext } from "react";

/** The page of the documentation that belongs to the screen, below /docs/. */
export const GuideContext = createContext<string | undefined>(undefined);
