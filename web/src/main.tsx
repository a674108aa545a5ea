import { createRoot } from "react-dom/client";
import { App } from "./frame/app.tsx";

createRoot(document.getElementById("root")!).render(<App />);
