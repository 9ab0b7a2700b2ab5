"""One module per RPC, holding one public function with the RPC's snake_case name."""
