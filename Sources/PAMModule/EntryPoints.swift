import CPAM
import WorkerProtocol
